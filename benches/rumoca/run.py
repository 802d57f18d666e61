"""Loads and simulates a model with rumoca, as often as wanted.

Prints the seconds of each run, from the text to the results, and the last values of some variables, as JSON.
"""

import json
import sys
import time

import rumoca

path, stop, tolerance, count, names = sys.argv[1:6]
stop, tolerance = float(stop), float(tolerance)
text = open(path).read()
seconds = []
for _ in range(int(count)):
    begin = time.perf_counter()
    model = rumoca.Session().loads(text)
    result = model.simulate(stop, dt=stop / 500, config=rumoca.SimConfig(rtol=tolerance, atol=tolerance))
    seconds.append(time.perf_counter() - begin)
print(json.dumps({"seconds": seconds, "last": [float(result[name][-1]) for name in names.split(";")]}))
