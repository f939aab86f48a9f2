// SPDX-License-Identifier: Apache-2.0

// Package chatmessages makes one list of the messages of a conversation whose fields are attributes of their own.
// The list is the JSON text of the semantic conventions' gen_ai.input.messages and gen_ai.output.messages:
// https://github.com/open-telemetry/semantic-conventions/tree/main/docs/gen-ai.
package chatmessages
