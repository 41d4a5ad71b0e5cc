"""What scipy says about a few samples: tests/unit/experiment/statistics.test.ts compares with it.

Usage: python tests/reference/statistics_fixtures.py   (needs numpy and scipy; writes fixtures/statistics.json)
"""
import json
import pathlib

import numpy as np
from scipy import integrate, stats

SAMPLES = {
    "five rewards": [0.957, 0.945, 0.934, 0.902, 0.965],
    "one collapsed": [0.95, 0.94, 0.96, 0.12, 0.93],
    "twenty": np.random.default_rng(1).normal(0.6, 0.2, 20).round(4).tolist(),
}
PAIRS = {
    "clearly better": ([0.95, 0.94, 0.96, 0.92, 0.93], [0.80, 0.85, 0.82, 0.79, 0.90]),
    "hard to tell": ([0.90, 0.85, 0.95, 0.88, 0.91], [0.92, 0.84, 0.93, 0.90, 0.89]),
}


def bootstrap(values):
    result = stats.bootstrap((np.array(values),), np.mean, method="percentile", n_resamples=200_000, confidence_level=0.95, rng=7)
    return result


fixture = {"means": [], "pairs": [], "areas": []}
for name, values in SAMPLES.items():
    interval = bootstrap(values).confidence_interval
    fixture["means"].append({"name": name, "values": values, "low": interval.low, "high": interval.high})
for name, (a, b) in PAIRS.items():
    result = bootstrap(np.array(a) - np.array(b))
    above = np.mean(result.bootstrap_distribution > 1e-12) + 0.5 * np.mean(np.abs(result.bootstrap_distribution) <= 1e-12)
    interval = result.confidence_interval
    fixture["pairs"].append({"name": name, "a": a, "b": b, "low": interval.low, "high": interval.high, "probability": float(above)})
for values in SAMPLES.values():
    fixture["areas"].append({"values": values, "area": float(integrate.trapezoid(values) / (len(values) - 1))})

path = pathlib.Path(__file__).parent / "fixtures" / "statistics.json"
path.write_text(json.dumps(fixture, indent=1) + "\n")
