import { assertEquals } from "@std/assert";
import { renderFeatureGates } from "../../../.ci/generate/feature_gates.ts";

const LIST = `
- name: Old
  versionedSpecs:
  - { default: false, lockToDefault: false, preRelease: Alpha, version: "1.0" }
  - { default: true, lockToDefault: false, preRelease: Beta, version: "1.6" }
  - { default: true, lockToDefault: true, preRelease: GA, version: "1.8" }
- name: New
  versionedSpecs:
  - { default: false, lockToDefault: false, preRelease: Alpha, version: "1.9" }
- name: Plain
  versionedSpecs:
  - { default: true, lockToDefault: false, preRelease: "", version: "1.0" }
`;
const CLIENT = `
var defaultVersionedKubernetesFeatureGates = map[Feature]VersionedSpecs{
	Client: {
		{Version: version.MustParse("1.2"), Default: false, PreRelease: Beta},
		{Version: version.MustParse("1.7"), Default: true, LockToDefault: true, PreRelease: GA},
	},
}
`;
const NEEDS = `
var defaultKubernetesFeatureGateDependencies = map[featuregate.Feature][]featuregate.Feature{
	Old: {},

	// Both.
	New: {Plain, genericfeatures.Old},

	generic.Plain: {
		featuregate.Feature(clientfeatures.Client),
	},
}
`;

Deno.test("renderFeatureGates writes each gate's stages from the oldest version on that can be emulated, and what it needs", () => {
  const text = renderFeatureGates({ list: LIST, client: CLIENT, needs: NEEDS }, "v1.9.2");
  assertEquals(JSON.parse(text), {
    kubernetes: "v1.9.2",
    gates: {
      AllAlpha: "alpha-",
      AllBeta: "beta-",
      Client: "beta- 1.7:ga+!",
      New: "1.9:alpha-",
      Old: "beta+ 1.8:ga+!",
      Plain: "ga+",
    },
    needs: { New: ["Old", "Plain"], Plain: ["Client"] },
  });
});
