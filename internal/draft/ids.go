package draft

import (
	"fmt"

	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/internal/paste"
	"github.com/otelcol-tc/otelcol-tc/internal/yamltext"
)

// IDs returns a pack that changes no name of a service, and says that an attribute of its metrics holds ids. It is
// empty if a pack cannot select the service or the attribute.
func IDs(service, key string) string {
	d := &draft{report: &conformance.Report{}, service: service}
	owns, err := d.owns()
	if err != nil || !paste.Exact(key) {
		return ""
	}
	return fmt.Sprintf("# A file for the packs of the conventions extension: packs: [./%[1]s.yaml, builtin]\n"+
		"system: %[1]s\n\n%s\n\n# Names stay as they are.\nnames: keep\n\nattributes:\n  - {key: %s, id: true}\n",
		system(service), owns, yamltext.Scalar(key))
}
