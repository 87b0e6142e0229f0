// How to connect to a bundled PostgreSQL beside where and as whom: the driver reads what is not said here from the
// environment, which means the operator's other databases.

/** It is on this machine and speaks no TLS, whatever PGSSLMODE says; a blank is no option and hides PGOPTIONS. */
export const ownConnection = { ssl: false, sslnegotiation: 'postgres', options: ' ' } as const;
