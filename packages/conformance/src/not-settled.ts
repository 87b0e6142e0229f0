// Thrown where a call has shown that nothing can be told: the server is busy, or the sandbox refuses.

export class NotSettled extends Error {}
