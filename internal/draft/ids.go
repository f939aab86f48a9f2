// SPDX-License-Identifier: Apache-2.0

package draft

import (
	"fmt"

	"github.com/otelcol-tc/otelcol-tc/conventions/naming"
	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
	"github.com/otelcol-tc/otelcol-tc/internal/paste"
)

// IDs returns a pack that changes no name of a service, and says that an attribute of its metrics holds ids. Repairs are
// the names of the service that are repaired now. It is empty if a pack cannot select the service or the attribute, or
// cannot repair the same names.
func IDs(service, key string, repairs naming.Unowned) string {
	d := &draft{report: &conformance.Report{}, service: service}
	owns, err := d.owns()
	if err != nil || !paste.Exact(key) {
		return ""
	}
	var names string
	switch repairs {
	case naming.Unowned{}:
		names = "# Names stay as they are.\nnames: keep\n"
	case naming.RepairAll:
		names = "# The general rules make the names, as they do without this pack.\n"
	default:
		return ""
	}
	return fmt.Sprintf("# A file for the conventions extension: add ./%[1]s.yaml before the packs that its setting packs has, which is\n"+
		"# [builtin] if it is not set. One pack owns a service: add further attributes of it to this file.\n"+
		"system: %[2]s\n\n%[3]s\n\n%[4]s\nattributes:\n  - {key: %[5]s, id: true}\n",
		system(service), paste.Scalar(system(service)), owns, names, paste.Scalar(key))
}
