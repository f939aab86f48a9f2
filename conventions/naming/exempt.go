// SPDX-License-Identifier: Apache-2.0

package naming

// DefaultExempt are globs of the metric names of other conventions, which the general rule does
// not change. What a pack maps by a prefix goes first.
var DefaultExempt = []string{
	// Semantic conventions.
	"aspnetcore.*",
	"azure.*",
	"cicd.*",
	"container.*",
	"cpython.*",
	"db.*",
	"dns.*",
	"dotnet.*",
	"faas.*",
	"gen_ai.*",
	"go.*",
	"http.*",
	"hw.*",
	"jvm.*",
	"k8s.*",
	"kestrel.*",
	"mcp.*",
	"messaging.*",
	"nfs.*",
	"nodejs.*",
	"openshift.*",
	"otel.*",
	"process.*",
	"rpc.*",
	"signalr.*",
	"system.*",
	"v8js.*",
	"vcs.*",
	// Semantic conventions as Prometheus writes them.
	"aspnetcore_*",
	"azure_cosmosdb_*",
	"cicd_*",
	"container_*",
	"cpython_*",
	"db_client_*",
	"dns_lookup_*",
	"dotnet_*",
	"faas_*",
	"gen_ai_*",
	"go_*", // also the runtime families of the Prometheus client library
	"http_client_*",
	"http_server_*",
	"hw_*",
	"jvm_*",
	"k8s_*",
	"kestrel_*",
	"mcp_*",
	"messaging_*",
	"nfs_*",
	"nodejs_*",
	"openshift_*",
	"otel_*",
	"process_*", // also a runtime family
	"rpc_*",
	"signalr_*",
	"system_*",
	"v8js_*",
	"vcs_*",
	// Prometheus, and the runtime families of its client libraries.
	"up",
	"scrape_*",
	"target_info",
	"python_*",
	// Collectors.
	"otelcol_*",
}
