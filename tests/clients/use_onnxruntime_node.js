// SPDX-License-Identifier: MIT
// Drives the package onnxruntime-node: prints a line of JSON for each thing that it does.
"use strict";
const fs = require("fs");
const ort = require("onnxruntime-node");

const [folder] = process.argv.slice(2);
const shown = (value) =>
  JSON.stringify(value, (_, each) =>
    typeof each === "bigint" ? `${each}n` : ArrayBuffer.isView(each) ? Array.from(each) : each);
const say = (what, value) => console.log(`${what}: ${shown(value)}`);
const tensors = (found) =>
  Object.entries(found).map(([name, each]) => [name, each.type, each.dims, each.data]);
const refused = async (what, action) => {
  try {
    await action();
    say(what, "taken");
  } catch (error) {
    say(what, error instanceof Error && error.message.length > 0 ? "refused" : "odd");
  }
};

const DATA = {
  float32: Float32Array.from([1, -2.5, 3e38, 0]),
  float64: Float64Array.from([1, -2.5, 1e300, 0]),
  float16: Uint16Array.from([0x3c00, 0xc000, 0x7bff, 0]),
  int64: BigInt64Array.from([1n, -2n, 2n ** 63n - 1n, 0n]),
  int32: Int32Array.from([1, -2, 2 ** 31 - 1, 0]),
  uint8: Uint8Array.from([1, 2, 255, 0]),
  bool: Uint8Array.from([1, 0, 1, 0]),
  string: ["a", "", "h\u00e9\u6f22\u{1f600}", "d"],
};

async function types() {
  const session = await ort.InferenceSession.create(`${folder}/types.onnx`);
  say("names", [session.inputNames, session.outputNames]);
  say("inputs", session.inputMetadata);
  say("outputs", session.outputMetadata);
  const feeds = {};
  for (const [type, data] of Object.entries(DATA)) {
    feeds[type] = new ort.Tensor(type, data, [2, 2]);
  }
  say("all types", tensors(await session.run(feeds)));
  say("some outputs", tensors(await session.run(feeds, ["int64_out", "bool_out"])));
  await session.release();
  await refused("run after release", () => session.run(feeds));
}

async function runs() {
  const bytes = fs.readFileSync(`${folder}/add.onnx`);
  const around = new Uint8Array(bytes.length + 10);
  around.set(bytes, 5);
  const session = await ort.InferenceSession.create(around.buffer, 5, bytes.length);
  const x = new ort.Tensor("float32", Float32Array.from([1, 2]), [1, 2]);
  const to = new ort.Tensor("float32", new Float32Array(2), [1, 2]);
  say("from a buffer", tensors(await session.run({ x, z: x })));
  say("into a tensor", [tensors(await session.run({ x, z: x }, { y: to })), to.data]);
  say("run options", tensors(await session.run({ x, z: x }, { tag: "t", logSeverityLevel: 3 })));
  await refused("terminated", () => session.run({ x, z: x }, { terminate: true }));
  await refused("missing input", () => session.run({ x }));
  await refused("unknown input", () => session.run({ x, z: x, other: x }));
  await refused("unknown output", () => session.run({ x, z: x }, ["other"]));
  await refused("wrong type", () =>
    session.run({ x, z: new ort.Tensor("int32", Int32Array.from([1, 2]), [1, 2]) }));
  await refused("wrong shape", () =>
    session.run({ x, z: new ort.Tensor("float32", new Float32Array(3), [1, 3]) }));
  await refused("wrong size", () => new ort.Tensor("float32", new Float32Array(3), [2, 2]));
  const many = [...Array(100).keys()].map((i) => {
    const each = new ort.Tensor("float32", Float32Array.from([i, i]), [1, 2]);
    return session.run({ x: each, z: each });
  });
  const sums = (await Promise.all(many)).map(({ y }) => y.data[1]);
  say("at once", sums);
  await session.release();
}

async function sessions() {
  const path = `${folder}/add.onnx`;
  const x = new ort.Tensor("float32", Float32Array.from([1, 2]), [1, 2]);
  const made = await Promise.all(
    [...Array(50).keys()].map(() => ort.InferenceSession.create(fs.readFileSync(path))));
  for (const session of made) {
    const { y } = await session.run({ x, z: x });
    if (y.data[1] !== 4) say("wrong", y);
    await session.release();
  }
  const session = await ort.InferenceSession.create(path, {
    executionProviders: ["cpu"],
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    graphOptimizationLevel: "basic",
    enableCpuMemArena: false,
    enableMemPattern: false,
    executionMode: "sequential",
    logId: "client",
    logSeverityLevel: 3,
    freeDimensionOverrides: { n: 2 },
    enableProfiling: true,
    profileFilePrefix: `${folder}/profile`,
    extra: { session: { use_env_allocators: "0" } },
  });
  say("with options", tensors(await session.run({ x, z: x })));
  session.endProfiling();
  await session.release();
  const profiles = fs.readdirSync(folder).filter((name) => name.startsWith("profile"));
  say("profiles", profiles.map((name) => JSON.parse(fs.readFileSync(`${folder}/${name}`)).length > 2));
  profiles.forEach((name) => fs.unlinkSync(`${folder}/${name}`));
  const data = new Uint8Array(Float32Array.from([10, 20]).buffer);
  const external = await ort.InferenceSession.create(fs.readFileSync(`${folder}/external.onnx`), {
    externalData: [{ path: "weights.bin", data }],
  });
  say("external data", tensors(await external.run({ x })));
  await refused("no model", () => ort.InferenceSession.create(Uint8Array.from([1, 2, 3])));
  await refused("no file", () => ort.InferenceSession.create(`${folder}/nowhere.onnx`));
  await refused("no provider", () =>
    ort.InferenceSession.create(path, { executionProviders: ["nowhere"] }));
}

types().then(runs).then(sessions).then(() => say("end", true), (error) => {
  console.log(`FAILED: ${error.stack}`);
  process.exitCode = 1;
});
