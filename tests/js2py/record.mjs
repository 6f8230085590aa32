// Records what Node prints for snippets.js, the scripts and the projects: node record.mjs > recorded.json
// (needs @tensorflow/tfjs, deeplearn 0.3 for scripts of that, argparse 1, and typescript 5).
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const HERE = dirname(fileURLToPath(import.meta.url));
const require = createRequire(join(process.env.TFPY_NODE_MODULES ?? join(HERE, "../interop/node_modules"), "x.js"));
const OTHERS = ["deeplearn", "argparse", "assert", "fs", "node:path", "os", "util"];
const tf = (globalThis.tf = require("@tensorflow/tfjs"));

const plain = (value) => {
  if (value === undefined) return null;
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  if (ArrayBuffer.isView(value)) return Array.from(value);
  if (Array.isArray(value)) return value.map(plain);
  return value;
};

async function printed(name, run) {
  const out = [];
  const log = console.log;
  console.log = (...args) => out.push(args.map(plain));
  try {
    await run();
    for (let i = 0; i < 40; i++) await new Promise((resolve) => setTimeout(resolve, 5)); // what is asynchronous ends
  } catch (error) {
    throw new Error(`in ${name}`, { cause: error });
  } finally {
    console.log = log;
  }
  return out;
}

const script = (source, typed) => () => {
  const { transpileModule, ScriptTarget } = require("typescript");
  const options = { compilerOptions: { target: ScriptTarget.ES2022, module: "esnext" } };
  const plainScript = (typed ? transpileModule(source, options).outputText : source).replace(/^import .*$/gm, "").replace(/^export /gm, "");
  new Function("require", plainScript)((module) => (OTHERS.includes(module) ? require(module) : tf));
};

const recorded = {};
for (const part of readFileSync(join(HERE, "snippets.js"), "utf-8").split(/^\/\/\/\/ /m).slice(1)) {
  const end = part.indexOf("\n");
  recorded[part.slice(0, end)] = await printed(part.slice(0, end), script(part.slice(end + 1)));
}
for (const file of readdirSync(join(HERE, "scripts")).sort()) {
  recorded[file] = await printed(file, script(readFileSync(join(HERE, "scripts", file), "utf-8"), file.endsWith(".ts")));
}
for (const name of ["commonjs", "modules"]) {
  const main = join(HERE, "projects", name, "main.js");
  recorded[`projects/${name}`] = await printed(name, () => import(pathToFileURL(main)));
}
console.log(JSON.stringify(recorded, null, 1));
