//! Sets carried over from one space to another, or to other variables of the same space.

use rustc_hash::FxHashMap;

use crate::set::{ModeSet, ModeVariable};
use crate::space::ModeSpace;

impl ModeSpace {
    /// The sets of `source` in this space, each variable replaced by what `rename` makes of it.
    ///
    /// Another order of the variables, or their values before and after a mode change as two copies, come about this way.
    /// `source` may be this space itself. Different variables need not stay different.
    pub fn import(
        &self,
        source: &ModeSpace,
        sets: &[ModeSet],
        rename: impl Fn(ModeVariable) -> ModeVariable,
    ) -> Vec<ModeSet> {
        let mut known = FxHashMap::default();
        known.insert(ModeSet::ALL, ModeSet::ALL);
        sets.iter().map(|&set| self.import_below(source, set, &rename, &mut known)).collect()
    }

    /// Imports children before parents, on an explicit stack; `known` maps uncomplemented sets to their images.
    fn import_below(
        &self,
        source: &ModeSpace,
        set: ModeSet,
        rename: &impl Fn(ModeVariable) -> ModeVariable,
        known: &mut FxHashMap<ModeSet, ModeSet>,
    ) -> ModeSet {
        let mut pending = vec![set.uncomplemented()];
        while let Some(&at) = pending.last() {
            let Some((variable, low, high)) = source.top(at).filter(|_| !known.contains_key(&at)) else {
                pending.pop();
                continue;
            };
            match (image(known, low), image(known, high)) {
                (Some(low), Some(high)) => {
                    let imported = self.ite(self.literal(rename(variable)), high, low);
                    known.insert(at, imported);
                }
                _ => pending.extend([high.uncomplemented(), low.uncomplemented()]),
            }
        }
        image(known, set).expect("the set was imported last")
    }
}

fn image(known: &FxHashMap<ModeSet, ModeSet>, set: ModeSet) -> Option<ModeSet> {
    known.get(&set.uncomplemented()).map(|image| image.complement_if(set.is_complemented()))
}
