// SPDX-License-Identifier: Apache-2.0

// Package docs tests the documents: commands run as they are written, and links and names lead to what exists.
package docs
