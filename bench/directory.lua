-- Look-ups and reveals of people drawn from the whole directory: request n of a run is the n-th of a fixed walk through
-- it, so that no two reveals are of the same person.
local clients, people = tonumber(os.getenv("B_CLIENTS")), tonumber(os.getenv("B_PEOPLE"))
local step, n, call = tonumber(os.getenv("B_STEP")), tonumber(os.getenv("B_FIRST")), os.getenv("B_CALL")

function request()
  n = n + 1
  local headers = {
    ["X-API-Key"] = os.getenv("B_KEY"), ["X-Session-Token"] = "reveal-" .. (n % clients + 1),
    ["Content-Type"] = "application/json",
  }
  local body = '{"linkedinurl":"https://www.linkedin.com/in/bench-' .. string.format("%d", (n * step) % people) .. '",'
    .. (call == "getcontact" and '"type":"businessemail","action":"reveal"}' or '"business":true,"phone":true}')
  return wrk.format("POST", "/api/v2/" .. call, headers, body)
end
