-- A row of calls_by_intent holds the intent twice, once in upper case, which may take three times the bytes:
-- longer ones would not fit the 2,704 bytes of an index row, and the call could not be written at all.
ALTER TABLE calls ADD CONSTRAINT calls_user_primary_intent_check CHECK (octet_length(user_primary_intent) <= 512);
