package scenario

// openinference is OpenInference: instrumentation of GenAI applications.
var openinference = keptSystem{name: "openinference"}
