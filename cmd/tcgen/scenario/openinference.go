// SPDX-License-Identifier: Apache-2.0

package scenario

// openinference is OpenInference: instrumentation of GenAI applications.
var openinference = keptSystem{name: "openinference"}
