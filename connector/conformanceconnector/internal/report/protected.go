// SPDX-License-Identifier: Apache-2.0

package report

import (
	"github.com/otelcol-tc/otelcol-tc/internal/conformance"
)

// maxProtected limits the rows about protected content.
const maxProtected = 2000

// reportProtected returns what was protected, with the names of services that the rest of the report has.
func (b *Builder) reportProtected() []conformance.Protected {
	all := []conformance.Protected{}
	if b.settings.Protected == nil {
		return all
	}
	for _, p := range b.settings.Protected() {
		if len(all) == maxProtected {
			break
		}
		p.Service = conformance.ServiceName(p.Service)
		all = append(all, p)
	}
	return all
}
