# Starts PostgreSQL in a folder; a new one is given the platform's database, its extension, and a role for each service.
set -eu
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  printf %s "$ADMINISTRATOR_PASSWORD" > /tmp/password
  initdb --username="$POSTGRES_USER" --pwfile=/tmp/password --auth-local=trust --auth-host=scram-sha-256 -D "$PGDATA"
  rm /tmp/password
  echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
  pg_ctl -D "$PGDATA" -o "-c listen_addresses='' -k /tmp" -w start
  export PGHOST=/tmp
  createdb -U "$POSTGRES_USER" "$POSTGRES_DB"
  ROLE_SQL=/scripts/role.sql sh /scripts/roles.sh
  pg_ctl -D "$PGDATA" -w -m fast stop
fi
exec postgres -D "$PGDATA" -k /tmp -c listen_addresses='*' -c max_connections=200 -c jit=off
