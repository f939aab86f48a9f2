// SPDX-License-Identifier: Apache-2.0

package attributes

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-tc/otelcol-tc/conventions"
)

// TypeOf is what pdata calls the type that a rule asks for.
func TypeOf(want conventions.ValueType) pcommon.ValueType {
	switch want {
	case conventions.TypeString:
		return pcommon.ValueTypeStr
	case conventions.TypeInt:
		return pcommon.ValueTypeInt
	case conventions.TypeDouble:
		return pcommon.ValueTypeDouble
	default:
		return pcommon.ValueTypeBool
	}
}
