-- A service's own role: it owns its schema, sees no other's, and makes nothing elsewhere. Run by an administrator, once or
-- again, in the database: psql -v role=touchstone_ingester -v schema=ingester -v password=... -f role.sql
\set ON_ERROR_STOP on
SET client_min_messages = warning;
SELECT format('CREATE ROLE %I LOGIN', :'role') WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = :'role') \gexec
ALTER ROLE :"role" LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS PASSWORD :'password';
-- Who is no role of ours has nothing to do here; nobody but the administrator makes schemas or writes to public.
SELECT format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database()) \gexec
SELECT format('REVOKE ALL ON DATABASE %I FROM PUBLIC', datname) FROM pg_database WHERE datname IN ('postgres', 'template1') \gexec
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
SELECT format('GRANT CONNECT ON DATABASE %I TO %I', current_database(), :'role') \gexec
-- Types and operators of extensions (vector) lie in public.
GRANT USAGE ON SCHEMA public TO :"role";
SELECT format('CREATE SCHEMA %I', :'schema') WHERE to_regnamespace(quote_ident(:'schema')) IS NULL \gexec
REVOKE ALL ON SCHEMA :"schema" FROM PUBLIC;
ALTER SCHEMA :"schema" OWNER TO :"role";
-- What the service made under another role before it had this one. Sequences of columns follow their tables.
SELECT format('ALTER TABLE %s OWNER TO %I', c.oid::regclass, :'role')
FROM pg_class c
WHERE c.relnamespace = to_regnamespace(quote_ident(:'schema')) AND c.relkind IN ('r', 'p', 'v', 'm', 'S', 'f')
  AND c.relowner <> (SELECT oid FROM pg_roles WHERE rolname = :'role')
  AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype IN ('a', 'i') AND c.relkind = 'S')
ORDER BY c.relkind = 'S' \gexec
