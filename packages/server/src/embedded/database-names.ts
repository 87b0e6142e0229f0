// The names that initdb and the first start give. Part of every data folder: they cannot change.

export const DATABASE_USER = 'opentill';
export const DATABASE_NAME = 'opentill';
