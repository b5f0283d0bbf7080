DROP TABLE signing_secrets;
DROP TABLE api_keys;
