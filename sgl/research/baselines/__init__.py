"""Train small models on a dataset and let them predict; `sglc baseline`."""
