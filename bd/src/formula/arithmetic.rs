//! Evaluates the ranges of loops, such as `1..2^{disks}-1`, in whole numbers.

/// Returns the first and the last number of a range such as `1..3`. The error describes the
/// problem.
pub fn parse_range(text: &str) -> Result<(i64, i64), String> {
    let (first, last) = text
        .split_once("..")
        .ok_or_else(|| format!("range \"{text}\" is not START..END"))?;
    let first = evaluate_expression(first)?;
    let last = evaluate_expression(last)?;
    if last < first {
        return Err(format!("range {first}..{last} ends before it starts"));
    }
    Ok((first, last))
}

/// Evaluates an expression of whole numbers, `+ - * / ^` and parentheses.
pub fn evaluate_expression(text: &str) -> Result<i64, String> {
    let mut reader = ExpressionParser {
        text,
        rest: text.trim(),
        depth: 0,
    };
    let value = reader.sum()?;
    if reader.rest.is_empty() {
        Ok(value)
    } else {
        Err(reader.unexpected())
    }
}

struct ExpressionParser<'a> {
    text: &'a str,
    rest: &'a str,
    depth: usize,
}

impl ExpressionParser<'_> {
    fn unexpected(&self) -> String {
        let what = match self.rest.chars().next() {
            Some('{') => {
                let name = self.rest.split_inclusive('}').next().unwrap_or("");
                return format!("{name} in \"{}\" has no value", self.text);
            }
            Some(c) => format!("'{c}'"),
            None => "its end".to_owned(),
        };
        format!("unexpected {what} in \"{}\"", self.text)
    }

    /// Returns the expression, cut if it is long.
    fn shortened(&self) -> String {
        let cut: String = self.text.chars().take(60).collect();
        let end = if cut.len() < self.text.len() {
            "…"
        } else {
            ""
        };
        format!("\"{cut}{end}\"")
    }

    fn too_large(&self) -> String {
        format!("\"{}\" is too large a number", self.text)
    }

    fn take(&mut self, wanted: &[char]) -> Option<char> {
        let c = self.rest.chars().next().filter(|c| wanted.contains(c))?;
        self.rest = self.rest[c.len_utf8()..].trim_start();
        Some(c)
    }

    fn sum(&mut self) -> Result<i64, String> {
        let mut value = self.product()?;
        while let Some(sign) = self.take(&['+', '-']) {
            let next = self.product()?;
            let result = if sign == '+' {
                value.checked_add(next)
            } else {
                value.checked_sub(next)
            };
            value = result.ok_or_else(|| self.too_large())?;
        }
        Ok(value)
    }

    fn product(&mut self) -> Result<i64, String> {
        let mut value = self.power()?;
        while let Some(sign) = self.take(&['*', '/']) {
            let next = self.power()?;
            if sign == '/' && next == 0 {
                return Err(format!("division by zero in \"{}\"", self.text));
            }
            let result = if sign == '*' {
                value.checked_mul(next)
            } else {
                value.checked_div(next)
            };
            value = result.ok_or_else(|| self.too_large())?;
        }
        Ok(value)
    }

    fn power(&mut self) -> Result<i64, String> {
        let base = self.unary()?;
        if self.take(&['^']).is_none() {
            return Ok(base);
        }
        self.depth += 1;
        if self.depth > 64 {
            return Err(format!("{} is nested too deep", self.shortened()));
        }
        let exponent = self.power()?;
        self.depth -= 1;
        let exponent = u32::try_from(exponent).map_err(|_| self.too_large())?;
        base.checked_pow(exponent).ok_or_else(|| self.too_large())
    }

    fn unary(&mut self) -> Result<i64, String> {
        self.depth += 1;
        if self.depth > 64 {
            return Err(format!("{} is nested too deep", self.shortened()));
        }
        let value = if self.take(&['-']).is_some() {
            let value = self.unary()?;
            value.checked_neg().ok_or_else(|| self.too_large())
        } else if self.take(&['(']).is_some() {
            let value = self.sum()?;
            self.take(&[')']).ok_or_else(|| self.unexpected())?;
            Ok(value)
        } else {
            self.number()
        };
        self.depth -= 1;
        value
    }

    fn number(&mut self) -> Result<i64, String> {
        let end = self
            .rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(self.rest.len());
        if end == 0 {
            return Err(self.unexpected());
        }
        let (digits, rest) = self.rest.split_at(end);
        let value = digits.parse().map_err(|_| self.too_large())?;
        self.rest = rest.trim_start();
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_follow_the_usual_precedence() {
        for (text, value) in [
            ("1+2*3", 7),
            ("2^3^2", 512),
            ("(1+2)*3", 9),
            ("2^9-1", 511),
            ("-3 + 10 / 3", 0),
        ] {
            assert_eq!(evaluate_expression(text), Ok(value), "{text}");
        }
        for text in [
            "",
            "1+",
            "(1",
            "1/0",
            "2^99",
            "x",
            "{n}",
            "9999999999999999999",
        ] {
            assert!(evaluate_expression(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_range_has_at_least_one_number() {
        assert_eq!(parse_range("3..3"), Ok((3, 3)));
        assert!(parse_range("3..2").unwrap_err().contains("ends before"));
        assert!(parse_range("3").is_err());
        let deep = format!("1..{}1", "1^".repeat(400_000));
        assert!(parse_range(&deep).unwrap_err().contains("nested too deep"));
    }
}
