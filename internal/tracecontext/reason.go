package tracecontext

import "strings"

// Reason is why a value is no id.
type Reason uint8

// The reasons. Accepted is the absence of one.
const (
	Accepted    Reason = iota
	Placeholder        // what is written where there is no id: 0, -, null
	Zero               // an id of zeros
	Length             // too many or too few digits, or parts
	NotHex
	NotDecimal
	Version // a traceparent of the version that cannot be
	ReasonCount
)

func (r Reason) String() string {
	return [ReasonCount]string{"accepted", "placeholder", "zero", "length", "not_hex", "not_decimal", "version"}[r]
}

// zeroOr is the reason when an id consists of digits.
func zeroOr(n uint64) Reason {
	if n == 0 {
		return Zero
	}
	return Accepted
}

// unfit is why a text that is not as long as an id is none.
func unfit(text string) Reason {
	if IsPlaceholder(text) {
		return Placeholder
	}
	return Length
}

// IsPlaceholder says whether a text is what loggers write where there is no id.
func IsPlaceholder(text string) bool {
	if len(text) > len("undefined") {
		return false
	}
	text = strings.TrimSpace(text)
	if text == "" || text == "0" || text == "-" {
		return true
	}
	for _, word := range [...]string{"null", "none", "nil", "<nil>", "n/a", "unknown", "undefined"} {
		if strings.EqualFold(text, word) {
			return true
		}
	}
	return false
}
