// SPDX-License-Identifier: Apache-2.0

// Package genai tests what becomes of the attributes of GenAI instrumentations: against the tables of the
// stock processor for them, with real clients, and for the tables of docs/genai.md and docs/genai.
package genai
