// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"slices"
)

// kserve is a model server of KServe in Python, for two models. Its histograms have prometheus_client's own buckets.
var kserve = keptSystem{name: "kserve", families: kserveFamilies(), created: true, next: nextKServe}

func kserveFamilies() []family {
	return slices.Concat(
		alike(scrapedHistogram, []string{"model_name"}, one("sklearn-iris", "fraud-detection"), 1,
			"request_preprocess_seconds request_predict_seconds request_postprocess_seconds request_explain_seconds"),
		alike(scrapedGauge, nil, unlabelled, 4e8, "process_virtual_memory_bytes process_resident_memory_bytes process_open_fds"),
		alike(scrapedCounter, nil, unlabelled, 2, "process_cpu_seconds_total"),
		alike(scrapedCounter, []string{"generation"}, numbered("%d", 3), 40, "python_gc_objects_collected_total python_gc_collections_total"),
	)
}

// nextKServe writes the lines of one request: of KServe's logger, of uvicorn, and the latencies.
func nextKServe(run *keptRun) {
	write := func(ms int, text string) {
		run.write("kserve.log", ms, root, StatesNothing, run.at(ms).UTC().Format("2006-01-02 15:04:05.000")+" "+text)
	}
	if run.scenarios == 0 {
		write(10, "1 kserve INFO [model_server.py:register_model():433] Registering model: sklearn-iris")
		write(20, "1 uvicorn.error INFO:     Uvicorn running on http://0.0.0.0:8080 (Press CTRL+C to quit)")
	}
	write(100, `uvicorn.access INFO:     10.0.0.7:50312 1 - "POST /v1/models/sklearn-iris%3Apredict HTTP/1.1" 200 OK`)
	write(110, fmt.Sprintf("1 kserve.trace requestId: %s, preprocess_ms: 0.02, explain_ms: 0, predict_ms: 12.1, postprocess_ms: 0.01", randomUUID(run.rng)))
}
