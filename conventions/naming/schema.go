// SPDX-License-Identifier: Apache-2.0

package naming

import "strings"

// InSchema reports whether a telemetry schema can define the name of a metric or an attribute. A
// schema of OpenTelemetry defines the names in the registered namespaces. Of another schema nothing
// is known, so that it can define any name.
func InSchema(url, name string) bool {
	if !strings.HasPrefix(url, "https://opentelemetry.io/schemas/") && !strings.HasPrefix(url, "http://opentelemetry.io/schemas/") {
		return true
	}
	namespace, _, _ := strings.Cut(name, ".")
	return registered[namespace]
}

// registered are the namespaces of OpenTelemetry's semantic conventions, those of earlier versions
// included. Names without a dot are their own namespace.
var registered = setOf(`
	android app artifact aspnetcore aws az azure browser cassandra cicd client cloud cloudevents
	cloudfoundry code container cpu cpython db deployment destination device disk dns dotnet
	elasticsearch enduser error event exception faas feature_flag file gcp gen_ai geo go graphql
	heroku host http hw ios jvm k8s kestrel linux log mainframe mcp message messaging net network nfs
	nodejs oci onc_rpc openai openshift opentracing oracle_cloud oracledb os otel peer pool pprof
	process profile rpc security_rule server service session signalr source system telemetry test
	thread tls url user user_agent v8js vcs webengine zos`)

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}
