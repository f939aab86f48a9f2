// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/otelcol-tc/otelcol-tc/tests/kubeserver"
)

// kubernetesRenderings are all that ships, by what renders it.
var kubernetesRenderings = map[string][]string{
	"kustomize base":         {"kubectl", "kustomize", "testdata/base"},
	"kustomize shared-index": {"kubectl", "kustomize", "testdata/shared-index"},
	"kustomize pod-volumes":  {"kubectl", "kustomize", "testdata/pod-volumes"},
	"kustomize tls":          {"kubectl", "kustomize", "testdata/tls"},
	"kustomize conventions":  {"kubectl", "kustomize", "testdata/conventions"},
	"helm tls":               chartTemplate("--values", kubeserver.HelmChart+"/ci/mtls-values.yaml"),
	"helm":                   chartTemplate(),
	"helm pod-volumes":       chartTemplate("--values", kubeserver.HelmChart+"/ci/pod-volumes-values.yaml"),
	"helm shared-index":      chartTemplate("--values", kubeserver.HelmChart+"/ci/shared-index-values.yaml"),
}

// chartTemplate renders the chart into the namespaces of kustomize's base.
func chartTemplate(args ...string) []string {
	return append([]string{"helm", "template", "otelcol-tc", kubeserver.HelmChart, "--namespace", kubeserver.GatewayNamespace}, args...)
}

// kubernetesObject is a typed object of the API.
type kubernetesObject interface {
	runtime.Object
	metav1.Object
}

// forEachRendering runs a test on the objects of all renderings.
func forEachRendering(t *testing.T, test func(t *testing.T, objects []kubernetesObject)) {
	t.Helper()
	for name, command := range kubernetesRenderings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, renderObjects(t, command))
		})
	}
}

func renderObjects(t *testing.T, command []string) []kubernetesObject {
	t.Helper()
	objects, err := decodeObjects(kubeserver.RunTool(t, command[0], command[1:]...))
	require.NoError(t, err)
	require.NotEmpty(t, objects)
	return objects
}

// decodeObjects decodes documents into the types of the API, and refuses what these do not know.
func decodeObjects(documents []byte) ([]kubernetesObject, error) {
	decoder := serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()
	reader := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(documents)))
	var objects []kubernetesObject
	for {
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return objects, nil
		}
		if err != nil {
			return nil, err
		}
		if len(bytes.TrimSpace(document)) == 0 {
			continue
		}
		object, _, err := decoder.Decode(document, nil, nil)
		if err != nil {
			return nil, err
		}
		objects = append(objects, object.(kubernetesObject))
	}
}

// objectsOf returns the objects of one type.
func objectsOf[T kubernetesObject](objects []kubernetesObject) []T {
	var all []T
	for _, object := range objects {
		if typed, ok := object.(T); ok {
			all = append(all, typed)
		}
	}
	return all
}

// podsOf returns a pod of each template, as a controller would make it.
func podsOf(objects []kubernetesObject) []*corev1.Pod {
	var pods []*corev1.Pod
	add := func(owner kubernetesObject, template corev1.PodTemplateSpec, claims ...corev1.PersistentVolumeClaim) {
		pod := &corev1.Pod{ObjectMeta: *template.ObjectMeta.DeepCopy(), Spec: *template.Spec.DeepCopy()}
		pod.Namespace, pod.Name = owner.GetNamespace(), owner.GetName()+"-0"
		for _, claim := range claims {
			pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{Name: claim.Name, VolumeSource: corev1.VolumeSource{
				PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim.Name + "-" + pod.Name},
			}})
		}
		pods = append(pods, pod)
	}
	for _, set := range objectsOf[*appsv1.DaemonSet](objects) {
		add(set, set.Spec.Template)
	}
	for _, set := range objectsOf[*appsv1.StatefulSet](objects) {
		add(set, set.Spec.Template, set.Spec.VolumeClaimTemplates...)
	}
	return pods
}

// configMapsOf returns the config maps whose files a volume has, or none.
func configMapsOf(volume corev1.Volume) (all []*corev1.LocalObjectReference) {
	if volume.Projected != nil {
		for _, source := range volume.Projected.Sources {
			all = append(all, &source.ConfigMap.LocalObjectReference)
		}
	}
	return all
}

// podIn returns the one pod of a namespace.
func podIn(t *testing.T, objects []kubernetesObject, namespace string) *corev1.Pod {
	t.Helper()
	var found []*corev1.Pod
	for _, pod := range podsOf(objects) {
		if pod.Namespace == namespace {
			found = append(found, pod)
		}
	}
	require.Len(t, found, 1, namespace)
	return found[0]
}
