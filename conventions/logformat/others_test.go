// SPDX-License-Identifier: Apache-2.0

package logformat

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Lines of programs that no pack describes are in no pack's format, however similar: it would name their
// service.
func TestLinesOfOtherPrograms(t *testing.T) {
	formats := builtin(t)
	for line, want := range map[string]string{
		// Flask, MLflow, http.server
		`127.0.0.1 - - [23/Nov/2026 10:00:00] "GET /api HTTP/1.1" 200 -`:              "http_server",
		`::1 - - [23/Nov/2026 10:00:00] code 404, message File not found`:             "http_server",
		`INFO:werkzeug:127.0.0.1 - - [23/Nov/2026 10:00:00] "GET / HTTP/1.1" 200 -`:   "python_logging",
		`127.0.0.1 - - [23/Nov/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 615 "-" "x"`: "http_access",
		// Kudu, YugabyteDB, kubelet
		`I1123 10:00:00.123456 12345 server_base.cc:655] Flags: x`:                           "glog",
		`I1123 10:00:00.123456 12345 server_base_options.cc:143] Updating master addresses`:  "glog",
		`I1123 10:00:00.123456    1234 kubelet.go:1234] "SyncLoop ADD" source="api" pods=[]`: "glog",
		// Django, OpenStack, Hadoop, Kafka, DeepSpeed
		`INFO 2026-11-23 10:00:00,123 autoreload 1234 140 Watching for file changes`:        "timestamped",
		`2026-11-23 10:00:00.123 1234 INFO nova.compute.manager [-] Running audit`:          "time",
		`2026-11-23 10:00:00,123 INFO namenode.NameNode: STARTUP_MSG:`:                      "timestamped",
		`[2026-11-23 10:00:00,123] INFO [KafkaServer id=0] started (kafka.server)`:          "timestamped",
		`[2026-11-23 10:00:00,123] [INFO] [engine.py:123:step] [Rank 0] step=10, skipped=0`: "timestamped",
		// Fluent Bit, Elasticsearch, Jupyter, Redis, TensorFlow, TensorRT's trtexec
		`[2026/11/23 10:00:00] [ info] [fluent bit] version=2.2.0, pid=1`:                    "",
		`[2026-11-23T10:00:00,123][INFO ][o.e.n.Node               ] [node-1] initialized`:   "",
		`[I 2026-11-23 10:00:00.123 ServerApp] Serving notebooks`:                            "",
		`1:M 23 Nov 2026 10:00:00.123 * Ready to accept connections tcp`:                     "",
		`2026-11-23 10:00:00.123456: I tensorflow_serving/model_servers/server.cc:89] Built`: "",
		`[11/23/2026-10:00:00] [I] === Model Options ===`:                                    "",
	} {
		name := ""
		if format := formats.Match(line, nil, &Entry{}); format != nil {
			name = format.Name
		}
		assert.Equal(t, want, name, line)
	}
}

// The body of a request is the request and what follows it.
func TestHTTPServer(t *testing.T) {
	var e Entry
	format := builtin(t).Match(`127.0.0.1 - - [23/Nov/2026 15:18:02] "GET /metrics HTTP/1.1" 200 646206`, nil, &e)
	assert.Equal(t, "http_server", format.Name)
	assert.Empty(t, format.Resource)
	assert.Equal(t, `"GET /metrics HTTP/1.1" 200 646206`, e.Body)
	assert.Equal(t, []Attribute{
		text("client.address", "127.0.0.1"), text("http.request.method", "GET"), text("url.path", "/metrics"),
		text("network.protocol.version", "1.1"), {Key: "http.response.status_code", Kind: KindInt, Int: 200},
	}, e.Attributes)
}
