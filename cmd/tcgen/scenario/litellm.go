package scenario

// litellm is LiteLLM: a gateway to model providers.
var litellm = keptSystem{name: "litellm"}
