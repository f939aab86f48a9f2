// SPDX-License-Identifier: Apache-2.0

// Package tailstage shows what a component does to items in the live tail: it writes an item as text before and
// after the component changed it, without content and secrets, and publishes the pair. What is hidden does not
// depend on how services are set: a value is hidden if the content policy knows it as content or as a
// credential, or if a pack calls it sensitive, in all modes.
package tailstage
