// SPDX-License-Identifier: Apache-2.0

// Package docs tests the documents: commands run as they are written, links lead somewhere, and figures follow
// from what was measured.
package docs
