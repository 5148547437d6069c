function tree2str(tree, concat = " ") {
  return tree.map((pair) => pair[0]).join(concat);
}
if (typeof module !== "undefined") module.exports = { tree2str };
