//! Conversations with an AI: the program on one side of a provider's double, a telephone on the other.

mod bad_weather;
mod barge_in;
mod both_ways;
mod cascade;
mod failures;
mod keys;
mod machines;
mod stage;
mod strangers;
mod transfers;
mod wire;
