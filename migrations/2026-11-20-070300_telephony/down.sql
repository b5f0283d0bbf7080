DROP TABLE assistants;
DROP TABLE teams;
DROP TABLE numbers;
DROP TABLE trunks;
