// PostGraphile 5 as its documentation starts it from a program, with the filter plugin that most install beside it.
const { createServer } = require('node:http')
const from = (name) => require(require.resolve(name, { paths: [process.cwd()] }))
const { postgraphile } = from('postgraphile')
const { PostGraphileAmberPreset } = from('postgraphile/presets/amber')
const { PostGraphileConnectionFilterPreset } = from('postgraphile-plugin-connection-filter')
const { makePgService } = from('postgraphile/adaptors/pg')
const { grafserv } = from('postgraphile/grafserv/node')

const server = createServer()
postgraphile({
  extends: [PostGraphileAmberPreset, PostGraphileConnectionFilterPreset],
  pgServices: [makePgService({
    connectionString: process.env.DATABASE_URL, schemas: ['public'], poolConfig: { max: Number(process.env.POOL) },
  })],
  disablePlugins: ['PgIndexBehaviorsPlugin'], // else fields without an index cannot be filtered by
  grafserv: { graphiql: false, watch: false },
}).createServ(grafserv).addTo(server).then(() => server.listen(Number(process.env.PORT), '127.0.0.1'))
