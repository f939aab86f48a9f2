// SPDX-License-Identifier: Apache-2.0

package naming

import "strings"

// DefaultExempt are globs of the metric names of other conventions, which the general rule does
// not change. What a pack maps by a prefix goes first. They are the semantic conventions, the same
// as Prometheus writes them, what Prometheus and its client libraries have, and collectors.
var DefaultExempt = strings.Fields(`
	aspnetcore.* azure.* cicd.* container.* cpython.* db.* dns.* dotnet.* faas.* gen_ai.* go.* http.*
	hw.* jvm.* k8s.* kestrel.* mcp.* messaging.* nfs.* nodejs.* openshift.* otel.* process.* rpc.*
	signalr.* system.* v8js.* vcs.*
	aspnetcore_* azure_cosmosdb_* cicd_* container_* cpython_* db_client_* dns_lookup_* dotnet_* faas_*
	gen_ai_* go_* http_client_* http_server_* hw_* jvm_* k8s_* kestrel_* mcp_* messaging_* nfs_*
	nodejs_* openshift_* otel_* process_* rpc_* signalr_* system_* v8js_* vcs_*
	up scrape_* target_info python_*
	otelcol_*
`)
