// The names that initdb and the first start give. Part of every data folder: they cannot change.

export const databaseUser = 'opentill';
export const databaseName = 'opentill';
