-- Requests of one kind for wrk, made before the clock runs; those that must differ each time are made as they go.
local method, path, body = os.getenv("B_METHOD"), os.getenv("B_PATH"), os.getenv("B_BODY")
local clients, stride = tonumber(os.getenv("B_CLIENTS")), tonumber(os.getenv("B_STRIDE"))
local each, users = tonumber(os.getenv("B_EACH")), tonumber(os.getenv("B_USERS"))
local staff, key, extra = os.getenv("B_STAFF"), os.getenv("B_KEY"), os.getenv("B_HEADERS")
local made, count, next = {}, 4000, 0

local function filled(text, client)
  local contact = client + stride * math.random(0, each - 1)
  text = text:gsub("{client}", tostring(client)):gsub("{contact}", tostring(contact))
  text = text:gsub("{user}", tostring(math.random(1, users)))
  return (text:gsub("{person}", string.format("%d", math.random(1000000000, 4503599627370496))))
end

local function one()
  local client = math.random(1, clients)
  local headers = {["X-API-Key"] = key, ["X-Session-Token"] = staff == "1" and "bench-staff" or ("bench-" .. client)}
  for name, value in extra:gmatch("([^:\n]+): ([^\n]+)") do headers[name] = value end
  if body ~= "" then headers["Content-Type"] = headers["Content-Type"] or "application/json" end
  local both = filled(path .. "\n" .. body, client)
  local at = both:find("\n")
  return wrk.format(method, both:sub(1, at - 1), headers, body ~= "" and both:sub(at + 1) or nil)
end

function init(args)
  math.randomseed(tonumber(os.getenv("B_SEED")))
  for n = 1, count do made[n] = one() end
end

if body:find("{person}") then
  request = one
else
  request = function()
    next = next % count + 1
    return made[next]
  end
end
