// The name of the open month among the statements of an app, which changes until it is closed.

export const soFar = 'soFar';
