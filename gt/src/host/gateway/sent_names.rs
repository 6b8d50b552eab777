//! Gives the files of a call their own names in its output: the command that runs outside knows only
//! the copies.

use std::path::Path;

use kit::gateway::{Call, FILES};

/// The folders of the copies, `<folder of the call>/files/<number>/`, and those that the caller
/// named.
#[derive(Debug, Clone)]
pub(super) struct SentNames {
    /// The path of the copies up to the number.
    start: Vec<u8>,
    /// The folders of the caller by number, with a final slash. Empty for its working folder.
    folders: Vec<String>,
}

impl SentNames {
    pub(super) fn of_call(call: &Call, folder: &Path) -> Self {
        let named = call.files.iter().map(|file| {
            let argument = call.args.get(file.argument);
            let path = argument.and_then(|argument| argument.get(file.start..));
            let (folder, _) = path.and_then(|path| path.rsplit_once('/'))?;
            Some(format!("{folder}/"))
        });
        Self {
            start: format!("{}/", folder.join(FILES).display()).into_bytes(),
            folders: named
                .map(|folder| folder.unwrap_or_else(String::new))
                .collect(),
        }
    }

    /// Takes from a part of an output what is whole, with the names of the caller. The rest stays,
    /// because the next part may end a name; at the end of the output there is none.
    pub(super) fn restore(&self, part: &mut Vec<u8>, is_end: bool) -> Vec<u8> {
        let mut restored = Vec::new();
        let mut taken = 0;
        while let Some(offset) = find(&part[taken..], &self.start) {
            let at = taken + offset;
            let rest = &part[at + self.start.len()..];
            let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            if digits == rest.len() && !is_end {
                restored.extend(&part[taken..at]);
                part.drain(..at);
                return restored;
            }
            let number = std::str::from_utf8(&rest[..digits]).ok();
            let number: Option<usize> = number.and_then(|number| number.parse().ok());
            let folder = number.and_then(|number| self.folders.get(number));
            let end = at + self.start.len() + digits + 1;
            match folder {
                Some(folder) if rest.get(digits) == Some(&b'/') => {
                    restored.extend(&part[taken..at]);
                    restored.extend(folder.as_bytes());
                    taken = end;
                }
                _ => {
                    let end = at + self.start.len();
                    restored.extend(&part[taken..end]);
                    taken = end;
                }
            }
        }
        let kept = if is_end {
            0
        } else {
            self.count_begun(&part[taken..])
        };
        let end = part.len() - kept;
        restored.extend(&part[taken..end]);
        part.drain(..end);
        restored
    }

    /// Returns the number of bytes at the end of an output with which a name may begin.
    fn count_begun(&self, part: &[u8]) -> usize {
        let most = part.len().min(self.start.len() - 1);
        (1..=most)
            .rev()
            .find(|count| part.ends_with(&self.start[..*count]))
            .unwrap_or(0)
    }
}

fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    text.windows(wanted.len()).position(|part| part == wanted)
}

#[cfg(test)]
mod tests {
    use kit::gateway::{CallFile, VERSION};

    use super::*;

    fn names() -> SentNames {
        let args = ["-f", "body.md", "--out=some/where/out.txt"];
        let file = |argument, start| CallFile { argument, start };
        let call = Call {
            version: VERSION,
            token: String::new(),
            id: String::new(),
            program: "bd".to_owned(),
            args: args.map(str::to_owned).to_vec(),
            path: Vec::new(),
            files: vec![file(1, 0), file(2, "--out=".len())],
            display: Vec::new(),
        };
        SentNames::of_call(&call, Path::new("/town/calls/7"))
    }

    #[test]
    fn copies_have_the_names_of_the_caller_wherever_the_output_is_cut() {
        let output = "cannot read /town/calls/7/files/0/body.md\n\
                      wrote /town/calls/7/files/1/out.txt, /town/calls/7/files/9/x and /town/calls/7/fil";
        let expected = "cannot read body.md\n\
                        wrote some/where/out.txt, /town/calls/7/files/9/x and /town/calls/7/fil";
        let names = names();
        for size in 1..output.len() {
            let mut pending = Vec::new();
            let mut restored = Vec::new();
            for part in output.as_bytes().chunks(size) {
                pending.extend(part);
                restored.extend(names.restore(&mut pending, false));
            }
            restored.extend(names.restore(&mut pending, true));
            assert_eq!(String::from_utf8(restored).unwrap(), expected, "{size}");
        }
        let mut prompt = b"a prompt without an end of line: ".to_vec();
        names.restore(&mut prompt, false);
        assert!(prompt.is_empty());
    }
}
