// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/collector/confmap"
)

// gracePeriod is Kubernetes' default time for a pod to end.
const gracePeriod = 30 * time.Second

const readTimeout = "read_timeout"

// servers returns the component's HTTP and gRPC servers.
func (d declared) servers() []group {
	var servers []group
	for _, g := range d.groups() {
		if g.listens() {
			servers = append(servers, g)
		}
	}
	return servers
}

// isHTTP reports whether the group is an HTTP server. gRPC servers read streams and have no read_timeout.
func (g group) isHTTP() bool { return g.has(readTimeout) }

// severity is that of a fault which only a client of the server can use. Without an address of another machine it is
// a note.
func (g group) severity() Severity {
	host, _, err := net.SplitHostPort(g.text("endpoint"))
	address, parseErr := netip.ParseAddr(host)
	if err != nil || host == "localhost" || parseErr == nil && address.IsLoopback() {
		return Note
	}
	return Warning
}

// findNoReadTimeout checks receivers only, because the other servers get no bodies.
func findNoReadTimeout(c *configuration, report reporter) {
	for _, d := range c.used(receivers) {
		for _, server := range d.servers() {
			timeout := server.duration(readTimeout)
			if !server.isHTTP() || timeout > 0 && timeout < gracePeriod {
				continue
			}
			text := fmt.Sprintf("%s has no read_timeout", setting(server.path))
			if timeout > 0 {
				text = fmt.Sprintf("%s: %s is not less than the %s that a pod has to end", setting(below(server.path, readTimeout)), timeout, gracePeriod)
			}
			report(server.severity(), below(server.path, readTimeout), text, "read_timeout and read_header_timeout of less than the grace period, such as 4s")
		}
	}
}

const (
	mib = 1 << 20
	// largestBody is well below the 14.5 MB that ended the process, and above the bodies of usual clients.
	largestBody = 8 * mib
	// The limit of a server that sets none.
	defaultHTTPBody = 20 * mib
	defaultGRPCBody = 4 * mib
)

// findBodyLimit checks receivers of OTLP, whose values can be nested.
func findBodyLimit(c *configuration, report reporter) {
	for _, d := range c.used(receivers) {
		if !isOf("otlp")(d) {
			continue
		}
		for _, server := range d.servers() {
			name, limit := "max_request_body_size", int64(defaultHTTPBody)
			if own, _ := settingOf[int64](server, name); own > 0 {
				limit = own
			}
			fix := "max_request_body_size: 4194304"
			if !server.isHTTP() {
				name, limit = "max_recv_msg_size_mib", defaultGRPCBody
				if own, _ := settingOf[int](server, name); own > 0 {
					limit = int64(own) * mib
				}
				fix = "max_recv_msg_size_mib: 4"
			}
			if limit > largestBody {
				report(server.severity(), below(server.path, name),
					fmt.Sprintf("%s accepts bodies of %d bytes", setting(server.path), limit), fix)
			}
		}
	}
}

// unbounded are the algorithms whose decoders allocate memory that no limit counts. A server without a
// list accepts all of them.
var unbounded = []string{"zstd", "lz4", "snappy"}

func findHTTPCompression(c *configuration, report reporter) {
	const name = "compression_algorithms"
	for _, d := range c.used(receivers) {
		for _, server := range d.servers() {
			if !server.has(name) {
				continue
			}
			taken, _ := settingOf[[]string](server, name)
			if taken == nil {
				taken = unbounded
			}
			taken = slices.DeleteFunc(slices.Clone(taken), func(a string) bool { return !slices.Contains(unbounded, a) })
			if len(taken) > 0 {
				report(server.severity(), below(server.path, name), fmt.Sprintf("%s accepts %s", setting(server.path), strings.Join(taken, ", ")),
					`compression_algorithms: ["", gzip, zlib, deflate, x-snappy-framed]`)
			}
		}
	}
}

// findOpenEndpoint reports a health check as a note only, because it reveals little.
func findOpenEndpoint(c *configuration, report reporter) {
	for _, d := range c.used(receivers, exporters, connectors, extensions) {
		for _, server := range d.servers() {
			if !onAllInterfaces(server) {
				continue
			}
			where := fmt.Sprintf("%s: %q is on all interfaces", setting(below(server.path, "endpoint")), server.text("endpoint"))
			authenticated := server.set("auth") || server.inner("tls").text("client_ca_file") != ""
			switch {
			case authenticated && server.set("tls"):
				continue
			case authenticated:
				report(Note, below(server.path, "endpoint"), where+" without TLS: credentials can be read in transit",
					"set tls, unless a proxy in front of it does")
			case d.typ.String() == "health_check":
				report(Note, below(server.path, "endpoint"), where+" without authentication"+orTLS(server), "127.0.0.1, or the pod's address")
			default:
				report(Warning, below(server.path, "endpoint"), where+" without authentication"+orTLS(server),
					"127.0.0.1 or the pod's address, or set auth and tls")
			}
		}
	}
	noteOpenTelemetry(c, report)
}

// noteOpenTelemetry checks the server of the collector's own metrics. Its settings belong to another
// project and are read without their types.
func noteOpenTelemetry(c *configuration, report reporter) {
	const readersPath, hostPath = "service::telemetry::metrics::readers", "pull::exporter::prometheus::host"
	readers, _ := c.resolved.Get(readersPath).([]any)
	for i, reader := range readers {
		settings, _ := reader.(map[string]any)
		host, ok := confmap.NewFromStringMap(settings).Get(hostPath).(string)
		if ok && isUnspecified(host) {
			path := strings.Split(readersPath+"::"+strconv.Itoa(i)+"::"+hostPath, confmap.KeyDelimiter)
			report(Note, path, fmt.Sprintf("the collector's own metrics are on all interfaces (%q), and can have no authentication", host),
				"127.0.0.1, or the pod's address")
		}
	}
}

func orTLS(server group) string {
	if server.set("tls") {
		return ""
	}
	return " and without TLS"
}

func onAllInterfaces(server group) bool {
	endpoint := server.text("endpoint")
	if endpoint == "" || strings.HasPrefix(fmt.Sprint(server.fields["transport"]), "unix") {
		return false
	}
	host := endpoint
	if colon := strings.LastIndexByte(endpoint, ':'); colon >= 0 {
		host = strings.Trim(endpoint[:colon], "[]")
	}
	return isUnspecified(host)
}

// isUnspecified reports whether a server with that host listens on every address.
func isUnspecified(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "" || err == nil && address.IsUnspecified()
}
