-- One request. KEYS[1] is the name of the key's list. ARGV: what to do (look, join or
-- release), the window in microseconds, the limit, and the request's own member.
--
-- The list has an element for each member, the oldest first: when it came and when it
-- was decided, in microseconds since 1970 as 16 digits each, and the member. No two
-- members have the same times. The list of a poisoned key has nothing but one element,
-- and ends with the window.
--
-- Returns the own member's place among the living members, and these. The place is 0 for
-- one that is not among them or has just come, -1 if the key was poisoned before, and -2 if
-- this request poisoned it.
local list, op, window, limit, own = KEYS[1], ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
local all = redis.call('LRANGE', list, 0, -1)
if all[1] == 'poisoned' then
  return {-1}
end

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

-- A member begins with its version and its two ids.
local ids = string.sub(own, 1, 25)
local reply, expired, last = {0}, 0, now - 1
for i, element in ipairs(all) do
  local came, decided = tonumber(string.sub(element, 1, 16)), tonumber(string.sub(element, 17, 32))
  if now - came > window then
    expired = i
  else
    last = math.max(last, came, decided)
    reply[#reply + 1] = element
    if reply[1] == 0 and string.sub(element, 33, 57) == ids then
      reply[1] = i - expired
    end
  end
end
if expired > 0 then
  redis.call('LTRIM', list, expired, -1)
end

local next = string.format('%016.0f', last + 1)
if op == 'join' and reply[1] == 0 then
  if #reply - 1 >= limit then
    redis.call('DEL', list)
    redis.call('RPUSH', list, 'poisoned')
    redis.call('PEXPIRE', list, math.ceil(window / 1000))
    return {-2}
  end
  redis.call('RPUSH', list, next .. next .. own)
  redis.call('PEXPIRE', list, math.ceil(window / 1000))
elseif op == 'release' and reply[1] > 0 then
  -- Held is the fifth bit of the element's byte 84.
  local element = reply[reply[1] + 1]
  local bits = string.byte(element, 84)
  if bits % 32 >= 16 then
    element = string.sub(element, 1, 16) .. next .. string.sub(element, 33, 83) .. string.char(bits - 16) .. string.sub(element, 85)
    redis.call('LSET', list, reply[1] - 1, element)
    reply[reply[1] + 1] = element
  end
end
return reply
