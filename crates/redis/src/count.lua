-- Counts one request of the client KEYS[1]. The key is the window: each request gives it
-- ARGV[1] more milliseconds to live by this server's clock, and its end takes the count along.
local count = redis.call('INCR', KEYS[1])
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return count
