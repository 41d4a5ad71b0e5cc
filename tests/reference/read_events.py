"""Reads an event file with TensorBoard itself and prints its scalars as JSON: how fixtures/tensorboard/scalars.json was made.

Usage: python tests/reference/read_events.py tests/reference/fixtures/tensorboard > tests/reference/fixtures/tensorboard/scalars.json
"""
import json
import sys

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

events = EventAccumulator(sys.argv[1])
events.Reload()
scalars = {tag: [[one.step, one.wall_time, one.value] for one in events.Scalars(tag)] for tag in events.Tags()["scalars"]}
print(json.dumps({"scalars": scalars}, sort_keys=True))
