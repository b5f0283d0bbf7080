DROP TABLE callback_tries;
DROP TABLE callbacks;
