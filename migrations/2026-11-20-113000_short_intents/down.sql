ALTER TABLE calls DROP CONSTRAINT calls_user_primary_intent_check;
