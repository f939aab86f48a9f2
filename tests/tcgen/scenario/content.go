// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"strings"
)

// Content is a text of a conversation. Engines and gateways that are told to log requests write it into their logs,
// and nothing with it may leave a collector. It has what ends a text in other formats.
const Content = `my grandmother's passport is "behind the clock", params: {'finish_reason': 'stop'}, finish_reason: stop\n`

// ContentToken is an id of a token of Content.
const ContentToken = 4711471

// inPython is a text as Python writes one with both kinds of quotes.
func inPython(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text) + "'"
}

// contentTokens are ids of tokens, as Python writes a list.
var contentTokens = fmt.Sprintf("[151644, %d, 198]", ContentToken)
