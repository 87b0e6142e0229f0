-- Up Migration

-- Sessions of the console. All rows have the package name '', so that they are together on a cluster. session_hash is
-- the SHA-256 of the secret in the cookie, key_hash that of the operator key with which or for which the session was
-- created. Instants are real time.
create table console_session (
  package_name text not null check (package_name = ''),
  session_hash bytea not null check (octet_length(session_hash) = 32),
  made_by text not null,
  role text not null check (role in ('support', 'admin')),
  key_hash bytea not null check (octet_length(key_hash) = 32),
  created_at bigint not null,
  last_seen_at bigint not null,
  ends_at bigint not null,
  primary key (package_name, session_hash)
);

-- Links that sign in once, in the sandbox. code_hash is the SHA-256 of the code in the link.
create table console_link (
  package_name text not null check (package_name = ''),
  code_hash bytea not null check (octet_length(code_hash) = 32),
  made_by text not null,
  role text not null check (role in ('support', 'admin')),
  key_hash bytea not null check (octet_length(key_hash) = 32),
  ends_at bigint not null,
  primary key (package_name, code_hash)
);
