// Platformatic DB as its documentation starts it from a program.
const path = require('node:path')
const { buildServer } = require(path.join(process.cwd(), 'node_modules/@platformatic/db'))

buildServer({
  server: { hostname: '127.0.0.1', port: Number(process.env.PORT), logger: { level: 'error' } },
  db: {
    connectionString: process.env.DATABASE_URL, poolSize: Number(process.env.POOL), limit: { default: 25, max: 1000 },
    graphql: true, openapi: true, ignore: { schemaversion: true, usersession: true },
  },
}).then((app) => app.start())
