// Package wire estimates from the bytes of an OTLP request how much memory it takes once
// it is decoded, and how deep its messages lie in each other, and stops where that is
// more than allowed. It takes the bytes in chunks, as they come from the network, in one
// pass, without recursion, and keeps none of them.
//
// It knows of OTLP which fields hold messages, and no more. Protobuf that is not valid it
// lets pass, since whoever decodes it refuses it with an error of their own. JSON that is
// not valid it refuses; type JSON says why.
package wire
