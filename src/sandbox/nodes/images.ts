/** Whether pulling an image always fails: `bad` in its name, or the tag `404` or `never-pull`. */
export function isUnpullable(image = ""): boolean {
  const tagged = image.split("@")[0];
  const colon = tagged.indexOf(":", tagged.lastIndexOf("/") + 1);
  const [name, tag] = colon < 0 ? [tagged, ""] : [tagged.slice(0, colon), tagged.slice(colon + 1)];
  return name.includes("bad") || tag === "404" || tag === "never-pull";
}

/** A name with an optional registry, tag and digest. */
const REFERENCE =
  /^(?:[a-zA-Z0-9.-]+(?::\d+)?\/)?[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*(?::\w[\w.-]{0,127})?(?:@[A-Za-z][A-Za-z0-9]*:[0-9a-fA-F]{32,})?$/;

/** Whether a text is a valid image name. Upstream: `github.com/distribution/reference`. */
export function isImageName(image: string): boolean {
  return REFERENCE.test(image);
}
