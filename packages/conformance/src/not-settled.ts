// Thrown when a check cannot be decided because the server is overloaded or the sandbox rejects a call.

export class NotSettled extends Error {}
