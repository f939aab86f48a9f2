package tracecontext

// flagSampled is the lowest bit of trace flags.
const flagSampled = 1

// hexFlags parses the one or two hexadecimal digits of trace flags.
func hexFlags(text string) (flags uint8, ok bool) {
	if text == "" || len(text) > 2 {
		return 0, false
	}
	for i := range len(text) {
		n := nibbles[text[i]]
		if n == notHex {
			return 0, false
		}
		flags = flags<<4 | n
	}
	return flags, true
}

// sampled parses a value that states only whether a trace is sampled. B3 writes d for a trace
// in debug mode, which is sampled as well.
func sampled(text string) (flags uint8, ok bool) {
	switch text {
	case "1", "true", "True", "d":
		return flagSampled, true
	case "0", "false", "False":
		return 0, true
	}
	return 0, false
}
