-- Reveals that are all different: request n is person n / clients of client n % clients.
local clients, first, n = tonumber(os.getenv("B_CLIENTS")), tonumber(os.getenv("B_FIRST")), -1

function request()
  n = n + 1
  local headers = {
    ["X-API-Key"] = os.getenv("B_KEY"), ["X-Session-Token"] = "reveal-" .. (n % clients + 1),
    ["Content-Type"] = "application/json",
  }
  local person = first + math.floor(n / clients)
  local body = '{"linkedinurl":"https://www.linkedin.com/in/bench-' .. person
    .. '","type":"businessemail","action":"reveal"}'
  return wrk.format("POST", "/api/v2/getcontact", headers, body)
end
